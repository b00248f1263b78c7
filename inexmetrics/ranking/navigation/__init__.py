"""How users navigate from results to ideal elements, and the number of ranks that they need."""
