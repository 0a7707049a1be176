import * as v from 'valibot';
import type { Modal, WorkspaceId } from '../../../domain/index.ts';
import type { ParsedInteraction } from '../inbound/interactions.ts';
import { renderModalView } from '../blocks/modal-view.ts';
import { homeToken } from '../api/deployment-token.ts';
import { postForm, smallCall } from '../api/post-form.ts';
import { errorName } from '../../../utils/error-name.ts';

export type ModalOpenerDeps = {
  /** Such as `https://slack.com/api/`. */
  readonly slackApiUrl: string;
  /** Of the bot, in this workspace. */
  readonly token: (workspace: WorkspaceId) => Promise<string>;
  /** The language that is set where the form is opened, if the bot speaks it. What rejects counts as none. */
  readonly language?: ((of: ParsedInteraction['invocation']) => Promise<string | undefined>) | undefined;
};

/** A `trigger_id` serves for 3 s, of which Slack's way to us and ours to it take a part. */
const TIMEOUT_MS = 2_400;
/** For the person's language: later than this, the form is in English. */
const LANGUAGE_MS = 700;
/** A process keeps the languages of so many people. */
const MAX_ENTRIES = 1_000;

const info = v.object({ user: v.object({ locale: v.nullish(v.string()) }) });
const answer = v.object({ ok: v.boolean(), error: v.optional(v.pipe(v.string(), v.regex(/^\w{1,80}$/))) });

/** The deployment's own token, by small requests: for the workspace that it is of and for no other. See `homeToken`. */
export const ownToken = (slackApiUrl: string, token: () => Promise<string>): ReturnType<typeof homeToken> =>
  homeToken({ token, callWith: (current) => smallCall(slackApiUrl, current) });

/** A form was not opened; nothing of what Slack answered but its own word for it is kept. */
export class ModalNotOpenedError extends Error {
  override readonly name = 'ModalNotOpenedError';
}

/**
 * Opens forms with small requests of its own, for a front that starts too often to carry Slack's client. `formIn` draws the
 * form in the language of a tag. Rejects when it could not be opened: with ModalNotOpenedError, or as `token` does.
 */
export function modalOpener({ slackApiUrl, token, language }: ModalOpenerDeps) {
  const languages = new Map<string, string | undefined>();

  async function languageOf(invocation: ParsedInteraction['invocation'], bearer: string) {
    const { workspace, by } = invocation;
    const set = await language?.(invocation).catch(() => undefined);
    if (set !== undefined) return set;
    const key = `${workspace}/${by.user}`;
    if (languages.has(key)) return languages.get(key);
    const asked = { user: by.user, include_locale: 'true' };
    const signal = AbortSignal.timeout(LANGUAGE_MS);
    const told = await postForm(new URL('users.info', slackApiUrl), asked, bearer, signal).catch(
      () => undefined,
    );
    const locale = v.is(info, told) ? (told.user.locale ?? undefined) : undefined;
    if (languages.size >= MAX_ENTRIES) languages.clear();
    if (told !== undefined) languages.set(key, locale);
    return locale;
  }

  return async (
    { invocation, trigger }: ParsedInteraction,
    formIn: (tag: string | undefined) => Modal | undefined,
  ): Promise<void> => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const bearer = await token(invocation.workspace);
    const form = formIn(await languageOf(invocation, bearer));
    if (!form) throw new ModalNotOpenedError('no form');
    const view = JSON.stringify(renderModalView(form, invocation));
    const args = { trigger_id: trigger, view };
    const told = await postForm(new URL('views.open', slackApiUrl), args, bearer, signal).catch(
      (error: unknown) => {
        throw new ModalNotOpenedError(errorName(error));
      },
    );
    if (!v.is(answer, told)) throw new ModalNotOpenedError('unreadable');
    if (!told.ok) throw new ModalNotOpenedError(told.error ?? 'unreadable');
  };
}
