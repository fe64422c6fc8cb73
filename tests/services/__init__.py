"""Services of other code than confsim's, which its tools are examined with."""
