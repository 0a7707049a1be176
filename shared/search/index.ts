export { createNumberedSearch, MAX_SEARCH_RESULTS, type NumberedSearch } from './numbered-search.ts';
export { createMessageSearchTools, MESSAGES_SOURCE } from './message-search-tools.ts';
export { createSearchClient, type SearchClientConfig } from './search-client.ts';
export { createSearchTools, SEARCH_SOURCE, type SearchToolsConfig } from './search-tools.ts';
