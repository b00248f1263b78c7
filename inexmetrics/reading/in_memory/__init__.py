"""Tables in memory, and tables read from spreadsheets."""
