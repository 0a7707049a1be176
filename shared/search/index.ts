export { createNumberedSearch, MAX_SEARCH_RESULTS } from './numbered-search.ts';
export { createMessageSearchTools } from './message-search-tools.ts';
export { createSearchClient } from './search-client.ts';
export { createSearchTools, type SearchToolsConfig } from './search-tools.ts';
