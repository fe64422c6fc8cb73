"""What crosses a wire: raw connections, httpx, and every call of a suite sent over HTTP."""
