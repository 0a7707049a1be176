import { hash } from '../random.ts';
import { tokenize } from '../tokens.ts';
import type { ChatRequest } from './request.ts';

const BLOCK = 64;
/** Shorter prefixes are not cached. */
const MIN = 128;
const MAX = 20_000;

/** Caches the prefixes of prompts, in blocks of 64 tokens, as the service does. */
export function createPrefixCache(): { cachedTokens(key: string, request: ChatRequest): number } {
  const hashes = new Set<number>();
  return {
    cachedTokens(key, request) {
      const marks = prefixes(`${key} ${request.model.id}`, tokenize(promptText(request)));
      const length = marks.findLastIndex((mark) => hashes.has(mark)) + 1;
      if (hashes.size > MAX) hashes.clear();
      for (const mark of marks) hashes.add(mark);
      const cached = length * BLOCK;
      return cached < MIN ? 0 : Math.min(cached, request.promptTokens);
    },
  };
}

function promptText({ messages, tools }: ChatRequest): string {
  const offered = tools.length === 0 ? '' : JSON.stringify(tools);
  return (
    offered +
    messages.map(({ role, text, toolCalls }) => `${role}:${text}${JSON.stringify(toolCalls)}`).join('\n')
  );
}

function prefixes(scope: string, tokens: readonly string[]): number[] {
  const marks: number[] = [];
  let mark = hash(scope);
  for (let at = 0; at + BLOCK <= tokens.length; at += BLOCK) {
    mark = hash(tokens.slice(at, at + BLOCK).join(''), mark);
    marks.push(mark);
  }
  return marks;
}
