export { conversationMessenger, conversationPlatform } from './conversations.ts';
export { type LiveText, withIntegrations } from './with-integrations.ts';
