import type { Message } from '../chat-types.ts';

/**
 * Drops tool calls without a result and tool results without a call: servers reject a history that holds either. The
 * text of an assistant message is kept when its calls are dropped.
 */
export function pairToolMessages(messages: readonly Message[]): Message[] {
  const answered = new Set(
    messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])),
  );
  const open = new Set<string>();
  const paired: Message[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      if (open.delete(message.toolCallId)) paired.push(message);
    } else if (
      message.role === 'assistant' &&
      message.toolCalls !== undefined &&
      message.toolCalls.length > 0
    ) {
      if (message.toolCalls.every(({ id }) => answered.has(id))) {
        for (const { id } of message.toolCalls) open.add(id);
        paired.push(message);
      } else if (message.content !== null && message.content !== '') {
        paired.push({ role: 'assistant', content: message.content });
      }
    } else {
      paired.push(message);
    }
  }
  return paired;
}
