"""Charts of results, which turn tables into panels of Vega-Lite specifications; each file contains one family of figures."""
