"""Tests of Harbor."""
