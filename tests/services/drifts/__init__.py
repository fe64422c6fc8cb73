"""A proxy in front of any server of the API, whose answers drift from what the server says.

    python -m services.drifts --upstream http://127.0.0.1:8080/v1_0 --port 9090 --drift total-of-page --seed 3

run in ``tests``. ``--drift`` may be given more than once; ``--drifts`` lists the forty. Drifts that come now and then
are drawn by the seed.
"""
