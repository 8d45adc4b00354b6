"""The run as an article for print: gathered in Python, with every text and number in it, and set by Typst.

The template knows how blocks look and holds no word of the article. What stands in the article is data to it, never
markup, so that no title or name can become a command.
"""
