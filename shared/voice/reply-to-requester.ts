import type { Card, TranscriptionTask } from '../domain/index.ts';
import type { TaskResult } from '../context/ports.ts';
import { replyPrivately } from '../context/private-reply.ts';
import type { VoiceContext } from './ports.ts';

/** One person wants one recording in a language. */
export type RequesterReply = Extract<TranscriptionTask['wish'], { kind: 'translate' }>;

/** Answers whoever pressed. A ticket that is dead by now is logged: who asked has gone on. */
export async function replyToRequester(
  { invocation }: RequesterReply,
  card: Card,
  context: Pick<VoiceContext, 'messenger' | 'time' | 'log'>,
): Promise<TaskResult> {
  await replyPrivately(invocation, card, context, 'voice.unheard');
  return { kind: 'done' };
}
