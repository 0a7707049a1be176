import type { CardAction, InteractionPayload, Interaction } from '../../shared/domain/index.ts';
import { userId } from '../../shared/domain/index.ts';
import type { CommandRequest } from '../../shared/commands/framework/types.ts';
import { fakeInteraction } from '../commands/command-harness.ts';
import { person, PICTURE, thread, type VideoHarness } from './video-harness.ts';

export type Deps = ReturnType<VideoHarness['context']>;

export const delivery = { deadline: Infinity, isRedelivery: false, isLast: false };
export const picture = PICTURE;
export const jobs = (of: VideoHarness) => of.context().videos.jobs.listByPerson(person, 9);

export function videoInteraction<C extends InteractionPayload>(call: C, more: Partial<Interaction> = {}) {
  const interaction = fakeInteraction(call, { thread, ...more });
  return { interaction: interaction, payload: call, locale: 'en', admin: false } as const;
}

/** A message command on a message with a picture. */
export const messageCommand = (id = 'menu-1') =>
  videoInteraction(
    {
      kind: 'on-message' as const,
      name: 'animate-form',
      message: { thread, id: thread.root, author: userId('U9'), text: '', attachments: [picture] },
    },
    { id },
  );

/** A command with a picture, outside of a thread. */
export function commandWithPicture(
  name: string,
  options: Readonly<Record<string, string | boolean>>,
): CommandRequest {
  const payload = { kind: 'command', name, options: {}, attachments: [picture] } as const;
  const { interaction } = videoInteraction({ ...payload, attachments: [picture] }, { thread: undefined });
  return {
    interaction,
    locale: 'en',
    admin: false,
    payload: { ...payload, attachments: [picture] },
    options,
    commands: [],
  };
}

export const buttonPress = (action: CardAction, more: Partial<Interaction> = {}) =>
  videoInteraction(
    { kind: 'action' as const, action: { ...action, args: [...action.args] }, chosen: [] },
    more,
  );

export const modalSubmission = (
  action: CardAction,
  prompt: string,
  id: string,
  more: Readonly<Record<string, string>> = {},
) =>
  videoInteraction(
    { kind: 'form' as const, action: { ...action, args: [...action.args] }, values: { prompt, ...more } },
    { id },
  );
