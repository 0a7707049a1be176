import type { CardAction, FactOwner, InteractionPayload, Modal } from '../../domain/index.ts';
import { getFormTexts } from '../../i18n/index.ts';
import type { FrontStore } from '../../storage/index.ts';
import { createFactForm } from './fact-form.ts';

/** The action that opens the modal for editing a filled form. Arguments: the draft and a page. */
const EDIT_FORM = 'schema.edit-form';
/** The action that opens the modal for a comment on an answer. Argument: the draft. */
export const COMMENT_FORM = 'feedback.comment-form';
/** The action that opens the modal for editing a fact. Argument: its id. */
export const FACT_FORM = 'memory.edit-form';

/** Returns whether an action opens a modal with stored content. If the front does not find it, the worker opens it or says so. */
export const opensDraftForm = ({ name }: Pick<CardAction, 'name'>): boolean =>
  name === EDIT_FORM || name === COMMENT_FORM || name === FACT_FORM;

/** Loads the modal of a person's own draft or fact, as a function of the locale; undefined for other interactions. */
export async function loadDraftedForm(
  payload: InteractionPayload,
  scope: FactOwner,
  store: Pick<FrontStore, 'findDraftModal' | 'findFact'>,
): Promise<((tag?: string) => Modal) | undefined> {
  if (payload.kind !== 'action' || !opensDraftForm(payload.action)) return undefined;
  const { name, args } = payload.action;
  const [id = '', page = '0'] = args;
  if (name === FACT_FORM) {
    const text = await store.findFact(scope, id);
    return text === undefined ? undefined : (tag) => createFactForm(id, text, getFormTexts(tag));
  }
  const draft = await store.findDraftModal(scope, id, Number(page));
  return draft && (() => draft);
}
