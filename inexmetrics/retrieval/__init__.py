"""From documents to runs: retrieval of articles and elements by Lnu-ltu weights and Flex, and files of runs."""
