export {
  changeChannelFacts,
  findLongLine,
  isChannelFactId,
  listChannelFacts,
  parseChannelFacts,
} from './channel-facts.ts';
export type { FactsContext } from './context.ts';
export { isPrivatePlace, mayRemember } from './fact-place.ts';
export { toFactText } from './fact-text.ts';
export { formatFacts } from './prompt-text.ts';
export { createRememberTools } from './remember-tool.ts';
export {
  getFactDays,
  fitFacts,
  loadFacts,
  NO_FACTS,
  getFactOwner,
  type UsableFacts,
} from './usable-facts.ts';
