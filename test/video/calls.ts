import type { CardAction, InteractionPayload, Interaction } from '../../shared/domain/index.ts';
import { userId } from '../../shared/domain/index.ts';
import { invocation } from '../commands/called.ts';
import { person, PICTURE, thread, type VideoWorld } from './world.ts';

export type Deps = ReturnType<VideoWorld['context']>;

export const delivery = { deadline: Infinity, isRedelivery: false, isLast: false };
export const picture = PICTURE;
export const jobs = (of: VideoWorld) => of.context().videos.jobs.listByPerson(person, 9);

export function called<C extends InteractionPayload>(call: C, more: Partial<Interaction> = {}) {
  const made = invocation(call, { thread, ...more });
  return { interaction: made, payload: call, locale: 'en', admin: false } as const;
}

/** A message command on a message with a picture. */
export const onMessage = (id = 'menu-1') =>
  called(
    {
      kind: 'on-message' as const,
      name: 'animate-form',
      message: { thread, id: thread.root, author: userId('U9'), text: '', attachments: [picture] },
    },
    { id },
  );

export const pressed = (action: CardAction, more: Partial<Interaction> = {}) =>
  called({ kind: 'action' as const, action: { ...action, args: [...action.args] }, chosen: [] }, more);

export const sent = (
  action: CardAction,
  prompt: string,
  id: string,
  more: Readonly<Record<string, string>> = {},
) =>
  called(
    { kind: 'form' as const, action: { ...action, args: [...action.args] }, values: { prompt, ...more } },
    { id },
  );
