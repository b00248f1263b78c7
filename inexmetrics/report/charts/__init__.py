"""Charts of results, one family of figures in each file: from tables to panels of Vega-Lite specifications."""
