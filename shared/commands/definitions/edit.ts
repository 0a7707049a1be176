import { EDIT_PICTURE } from '../../i18n/index.ts';
import { EDIT } from '../forms/video-form.ts';
import type { CommandRun, InteractionContext } from '../framework/types.ts';
import type { MessageCommandSpec, OnMessageTexts } from '../framework/command-spec.ts';
import { proposeOnMessage } from '../forms/propose-on-message.ts';

export const onMessage = {
  name: EDIT,
  label: 'Edit this picture',
} as const satisfies MessageCommandSpec;

/** Proposes an edit of the first picture of a message, where the front could not open the form. */
export const runOnMessage: CommandRun<InteractionContext<'on-message'>> = (called, context) =>
  proposeOnMessage(called, 'edit', context);

export const texts = {
  onMessage: EDIT_PICTURE,
} satisfies OnMessageTexts;
