"""Tables that are in memory, and those that spreadsheets are read into."""
