import * as v from 'valibot';
import type { Modal, WorkspaceId } from '../../../domain/index.ts';
import type { ParsedInteraction } from '../inbound/interactions.ts';
import { renderModalView } from '../blocks/modal-view.ts';
import { createHomeToken } from '../api/bot-token.ts';
import { postForm, createFormCall } from '../api/post-form.ts';
import { errorName } from '../../../utils/index.ts';

export type ModalOpenerDeps = {
  /** For example `https://slack.com/api/`. */
  readonly slackApiUrl: string;
  /** The bot token of the workspace. */
  readonly token: (workspace: WorkspaceId) => Promise<string>;
  /** The locale setting that applies to the interaction. A rejection counts as none. */
  readonly language?: ((of: ParsedInteraction['interaction']) => Promise<string | undefined>) | undefined;
};

/** A `trigger_id` is valid for 3 s, including the network time in both directions. */
const TIMEOUT_MS = 2_400;
/** The time to look up the locale of the person. After it the modal is in English. */
const LOCALE_TIMEOUT_MS = 700;
/** How many locales a process caches. */
const MAX_ENTRIES = 1_000;

const info = v.object({ user: v.object({ locale: v.nullish(v.string()) }) });
const answer = v.object({ ok: v.boolean(), error: v.optional(v.pipe(v.string(), v.regex(/^\w{1,80}$/))) });

/** Returns the deployment's own token for its own workspace only. See `createHomeToken`. */
export const createOwnToken = (
  slackApiUrl: string,
  token: () => Promise<string>,
): ReturnType<typeof createHomeToken> =>
  createHomeToken({ token, callWith: (current) => createFormCall(slackApiUrl, current) });

/** A modal was not opened. The message is Slack's error code, and nothing else of the response. */
class ModalNotOpenedError extends Error {
  override readonly name = 'ModalNotOpenedError';
}

/**
 * Opens modals with plain requests, since Slack's client would slow the start of the front. `buildMoreActionsForm` returns the form in the language of
 * a tag. Rejects if the modal could not be opened: with ModalNotOpenedError, or as `token` does.
 */
export function createModalOpener({ slackApiUrl, token, language }: ModalOpenerDeps) {
  const languages = new Map<string, string | undefined>();

  async function findLanguage(interaction: ParsedInteraction['interaction'], bearer: string) {
    const { workspace, by } = interaction;
    const set = await language?.(interaction).catch(() => undefined);
    if (set !== undefined) return set;
    const key = `${workspace}/${by.user}`;
    if (languages.has(key)) return languages.get(key);
    const query = { user: by.user, include_locale: 'true' };
    const signal = AbortSignal.timeout(LOCALE_TIMEOUT_MS);
    const response = await postForm(new URL('users.info', slackApiUrl), query, bearer, signal).catch(
      () => undefined,
    );
    const locale = v.is(info, response) ? (response.user.locale ?? undefined) : undefined;
    if (languages.size >= MAX_ENTRIES) languages.clear();
    if (response !== undefined) languages.set(key, locale);
    return locale;
  }

  return async (
    { interaction, trigger }: ParsedInteraction,
    formIn: (tag: string | undefined) => Modal | undefined,
  ): Promise<void> => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const bearer = await token(interaction.workspace);
    const form = formIn(await findLanguage(interaction, bearer));
    if (!form) throw new ModalNotOpenedError('no form');
    const view = JSON.stringify(renderModalView(form, interaction));
    const args = { trigger_id: trigger, view };
    const response = await postForm(new URL('views.open', slackApiUrl), args, bearer, signal).catch(
      (error: unknown) => {
        throw new ModalNotOpenedError(errorName(error));
      },
    );
    if (!v.is(answer, response)) throw new ModalNotOpenedError('unreadable');
    if (!response.ok) throw new ModalNotOpenedError(response.error ?? 'unreadable');
  };
}
