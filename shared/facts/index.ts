export { changeChannelFacts, isChannelFactId, listChannelFacts, parseChannelFacts } from './channel-facts.ts';
export type { FactsContext } from './context.ts';
export { isPrivatePlace, mayRemember } from './fact-place.ts';
export { toFactText } from './fact-text.ts';
export { formatFacts } from './prompt-text.ts';
export { rememberTools } from './remember-tool.ts';
export { factDays, fitFacts, loadFacts, NO_FACTS, ownerOf, type UsableFacts } from './usable-facts.ts';
