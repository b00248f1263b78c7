"""Charts of results. The functions turn tables into panels of Vega-Lite specifications; each file contains one family of charts."""
