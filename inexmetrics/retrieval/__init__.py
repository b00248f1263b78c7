"""From documents to runs: retrieval of articles and elements with Lnu-ltu weights and Flex, and files of runs."""
