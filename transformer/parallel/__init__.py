"""Programs on several devices: pmap, shard_map, collectives, placement of arrays."""
"""Programs on several devices: pmap, shard_map, collectives, placement of arrays."""
