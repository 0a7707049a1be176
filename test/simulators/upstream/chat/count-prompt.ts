import { countTokens } from '../tokens.ts';
import type { ChatMessage, Tool } from './request.ts';

const PER_MESSAGE = 4;
const PER_MEDIUM = 256;

/** Tokens of a prompt: of its messages and of the tools offered with them. */
export function countPrompt(messages: readonly ChatMessage[], tools: readonly Tool[]): number {
  const offered = tools.length === 0 ? 0 : countTokens(JSON.stringify(tools));
  return messages.reduce((sum, message) => sum + countMessage(message), offered);
}

function countMessage(message: ChatMessage): number {
  const calls = message.toolCalls.reduce((sum, call) => sum + countTokens(call.name + call.arguments), 0);
  const media = message.parts.filter((part) => part.kind !== 'text').length * PER_MEDIUM;
  return PER_MESSAGE + countTokens(message.text) + calls + media;
}
