export { createBotTokenProvider } from './bot-token.ts';
