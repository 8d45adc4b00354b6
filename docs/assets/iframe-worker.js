// Browsers give no worker to a page that was opened from a folder, and the site's search asks for one. Here a hidden
// frame stands in for it: the worker's script listens to messages of the frame's window and posts its own to it.
// That the name says iframe-worker keeps Material's `offline` plugin from fetching such a thing from elsewhere.
"use strict";

/** The window of a hidden frame in which the script has run. */
function framed(url) {
  return new Promise((resolve) => {
    const frame = document.createElement("iframe");
    frame.hidden = true;
    frame.addEventListener("load", () => {
      const script = frame.contentDocument.createElement("script");
      script.addEventListener("load", () => resolve(frame.contentWindow));
      script.src = url;
      frame.contentDocument.head.append(script);
    }, {once: true});
    document.body.append(frame);
  });
}

/** As much of a Worker as the search uses. */
class FramedWorker extends EventTarget {
  constructor(url) {
    super();
    this.inside = framed(new URL(url, location.href)).then((inside) => {
      inside.postMessage = (data) => tell(this, data);
      return inside;
    });
  }

  postMessage(data) {
    this.inside.then((inside) => tell(inside, data));
  }
}

/** Let whoever listens have a message. */
function tell(target, data) {
  target.dispatchEvent(new MessageEvent("message", {data}));
}

if (location.protocol === "file:") window.Worker = FramedWorker;
