export { botTokens } from './bot-token.ts';
