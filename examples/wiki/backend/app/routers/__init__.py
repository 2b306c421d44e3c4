"""One module for each resource; main.ROUTERS lists them."""
