"""Charts of results, a family of figures a file: tables go in, panels of Vega-Lite specifications come out."""
