"""These tests need eight CPU devices; the setting is made while pytest collects, before any test uses a device."""

from transformer import config

config.update("num_cpu_devices", 8)
