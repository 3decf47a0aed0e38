//! Block types as integers and scales: one decode function and one table row a type.
