//! Language-model wire protocols without I/O: requests out, bytes in; structured output; cassettes.
