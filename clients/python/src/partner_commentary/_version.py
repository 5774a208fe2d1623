"""The version of this package, sent to the service."""

version = "0.1.0"
