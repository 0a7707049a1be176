import * as v from 'valibot';
import type { Form, WorkspaceId } from '../../conversation/index.ts';
import type { ParsedCall } from './calls.ts';
import { drawForm } from './form.ts';
import { homeToken } from './home.ts';
import { postForm, smallCall } from './post-form.ts';

export type FormOpenerDeps = {
  /** Such as `https://slack.com/api/`. */
  readonly slackApiUrl: string;
  /** Of the bot, in this workspace. */
  readonly token: (workspace: WorkspaceId) => Promise<string>;
  /** The language that is set where the form is opened, if the bot speaks it. What rejects counts as none. */
  readonly language?: ((of: ParsedCall['invocation']) => Promise<string | undefined>) | undefined;
};

/** A `trigger_id` serves for 3 s, of which Slack's way to us and ours to it take a part. */
const WITHIN_MS = 2_400;
/** For the person's language: later than this, the form is in English. */
const LANGUAGE_MS = 700;
/** A process keeps the languages of so many people. */
const MOST_KEPT = 1_000;

const info = v.object({ user: v.object({ locale: v.nullish(v.string()) }) });
const answer = v.object({ ok: v.boolean(), error: v.optional(v.pipe(v.string(), v.regex(/^\w{1,80}$/))) });

/** The deployment's own token, by small requests: for the workspace that it is of and for no other. See `homeToken`. */
export const ownToken = (slackApiUrl: string, token: () => Promise<string>): ReturnType<typeof homeToken> =>
  homeToken({ token, callWith: (current) => smallCall(slackApiUrl, current) });

/** A form was not opened; nothing of what Slack answered but its own word for it is kept. */
export class NotOpened extends Error {
  override readonly name = 'NotOpened';
}

/**
 * Opens forms with small requests of its own, for a front that starts too often to carry Slack's client. `formIn` draws the
 * form in the language of a tag. Rejects when it could not be opened: with NotOpened, or as `token` does.
 */
export function formOpener({ slackApiUrl, token, language }: FormOpenerDeps) {
  const languages = new Map<string, string | undefined>();

  async function languageOf(invocation: ParsedCall['invocation'], bearer: string) {
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
    if (languages.size >= MOST_KEPT) languages.clear();
    if (told !== undefined) languages.set(key, locale);
    return locale;
  }

  return async (
    { invocation, trigger }: ParsedCall,
    formIn: (tag: string | undefined) => Form | undefined,
  ): Promise<void> => {
    const signal = AbortSignal.timeout(WITHIN_MS);
    const bearer = await token(invocation.workspace);
    const form = formIn(await languageOf(invocation, bearer));
    if (!form) throw new NotOpened('no form');
    const view = JSON.stringify(drawForm(form, invocation));
    const args = { trigger_id: trigger, view };
    const told = await postForm(new URL('views.open', slackApiUrl), args, bearer, signal).catch(
      (error: unknown) => {
        throw new NotOpened(error instanceof Error ? error.name : 'unknown');
      },
    );
    if (!v.is(answer, told)) throw new NotOpened('unreadable');
    if (!told.ok) throw new NotOpened(told.error ?? 'unreadable');
  };
}
