"""The command sdclab: a file a verb, which parses, calls and prints."""
