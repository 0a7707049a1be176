import type { CardAction, InteractionPayload, Modal } from '../../domain/index.ts';
import type { DiscordFrontStore } from '../../storage/index.ts';

/** The action that opens the modal for editing a filled form. Arguments: the draft and a page. */
export const EDIT_FORM = 'schema.edit-form';
/** The action that opens the modal for a comment on an answer. Argument: the draft. */
export const COMMENT_FORM = 'feedback.comment-form';

/** Returns whether an action opens a modal that a worker stored. If it has expired, the worker says so. */
export const opensDraftForm = ({ name }: Pick<CardAction, 'name'>): boolean =>
  name === EDIT_FORM || name === COMMENT_FORM;

/** Loads the stored modal of a person's own draft; undefined for other interactions. */
export async function loadDraftedForm(
  payload: InteractionPayload,
  scope: Parameters<DiscordFrontStore['findDraftModal']>[0],
  store: Pick<DiscordFrontStore, 'findDraftModal'>,
): Promise<Modal | undefined> {
  if (payload.kind !== 'action' || !opensDraftForm(payload.action)) return undefined;
  const [id = '', page = '0'] = payload.action.args;
  return store.findDraftModal(scope, id, Number(page));
}
