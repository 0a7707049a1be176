import type { Form, Invocation } from '../../../shared/conversation/index.ts';
import { videoFormFor } from '../../../shared/flows/commands/video-form.ts';
import { Inbox } from '../../../shared/store/inbox.ts';
import type { VideoWorld } from './world.ts';

/** The form that a call opens in a front of this world. */
export async function formFor(
  world: VideoWorld,
  { id, call, by: { user } }: Pick<Invocation, 'id' | 'call' | 'by'>,
): Promise<Form | undefined> {
  const send = (operation: string, input: object) => {
    const of = { TableName: 'conversations', Key: {}, Item: {}, ...input };
    return operation === 'PutItem' ? world.memory.put(of) : world.memory.get(of);
  };
  const inbox = new Inbox({ send, table: 'conversations', days: 30, now: () => world.now });
  return (await videoFormFor({ id, user }, call, { inbox, videoModels: world.models }))?.('en');
}
