"""The inspector: pages in the browser that show a world, over the control plane.

Pages are rendered on the server and work without a network, without a build step and, but for live updates and copy
buttons, without scripts. They use only the public operations of the control plane.
"""
