"""How readers find their way from results to ideal elements, and how many ranks that takes them."""
