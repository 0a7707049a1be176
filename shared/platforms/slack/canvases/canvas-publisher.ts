import * as v from 'valibot';
import {
  type Canvas,
  type CanvasPublisher,
  type CanvasReaders,
  CannotPostError,
  FileUnavailableError,
} from '../../ports/index.ts';
import { sanitize } from '../../markdown/index.ts';
import { truncateText } from '../../../utils/index.ts';
import { SlackApiError } from '../api/call.ts';
import { getFailureReason } from '../../index.ts';
import { isPermanent, classifyError } from '../api/errors.ts';
import type { SlackDeps } from '../deps.ts';
import { retrySlack } from '../api/retry.ts';
import type { PostRecords } from '../files/post-records.ts';
import { toCanvasMarkdown } from './canvas-markdown.ts';

/** The timeout of one step, with all retries. */
const TIMEOUT_MS = 30_000;
/** In characters. Source: docs.slack.dev/reference/methods/canvases.create, `document_content`. */
const MAX_CONTENT_LENGTH = 1_048_576;
const MAX_TITLE_LENGTH = 100;
/** Marks the id of a canvas among the recorded files of a message: another method deletes it. */
const MARK = 'canvas:';

/** Slack's errors that are no failure of this request alone, and the text for each. */
const REFUSALS: Readonly<Record<string, 'off' | 'plan' | 'denied' | 'scope' | 'content'>> = {
  canvas_disabled_user_team: 'off',
  free_teams_cannot_create_non_tabbed_canvases: 'plan',
  free_teams_cannot_create_standalone_canvases: 'plan',
  free_teams_cannot_edit_standalone_canvases: 'plan',
  missing_scope: 'scope',
  not_allowed_token_type: 'scope',
  restricted_action: 'denied',
  canvas_creation_failed: 'content',
  canvas_editing_failed: 'content',
  // A person of another company.
  user_not_found: 'denied',
  failed_to_update_user_ids: 'denied',
};
const GONE = new Set(['file_not_found', 'file_deleted', 'canvas_not_found', 'canvas_deleted']);
/** Errors of `canvases.access.set` for a channel that it does not share with, such as a group message. */
const UNSHARED = new Set([
  'channel_not_found',
  'invalid_arguments',
  'invalid_parameters',
  'restricted_action',
]);

const created = v.object({ canvas_id: v.pipe(v.string(), v.regex(/^F\w{1,40}$/)) });
const info = v.object({ file: v.object({ permalink: v.pipe(v.string(), v.url()) }) });
const failures = v.nullish(v.array(v.string()), []);
const sharing = v.object({ failed_to_update_channel_ids: failures, failed_to_update_user_ids: failures });

export type CanvasDeps = Pick<SlackDeps, 'call' | 'time' | 'log'> & {
  readonly posts: PostRecords;
  /** Whether the token has the scope `canvases:write`, as far as is known. */
  readonly hasCanvases?: (() => boolean) | undefined;
};

/**
 * Canvases of one workspace. A canvas is created empty, then recorded, and only then filled: whatever is interrupted, no text of a
 * conversation is in a canvas that cannot be found and deleted.
 */
export function createCanvasPublisher(deps: CanvasDeps): CanvasPublisher {
  const { posts, hasCanvases = () => false } = deps;
  const call = async (method: string, args: Readonly<Record<string, unknown>>) =>
    retrySlack(() => deps.call(method, args), { time: deps.time, deadline: deps.time.now() + TIMEOUT_MS });

  const find = async (id: string): Promise<Canvas | undefined> => {
    const response = await call('files.info', { file: id }).catch(undefinedIfGone);
    return response && { id, url: v.parse(info, response).file.permalink };
  };

  const shareCanvas = async (id: string, who: Readonly<Record<string, unknown>>) => {
    const response = await call('canvases.access.set', { canvas_id: id, access_level: 'read', ...who });
    const { failed_to_update_channel_ids: channels, failed_to_update_user_ids: users } = v.parse(
      sharing,
      response,
    );
    return (channels ?? []).length + (users ?? []).length === 0;
  };

  return {
    hasCanvases,
    async createCanvas(thread, title, key) {
      const place = `${key}#canvas`;
      for (const file of (await posts.find(thread, place))?.files ?? []) {
        const earlier = await find(file.slice(MARK.length));
        if (earlier) return earlier;
      }
      const response = await call('canvases.create', { title: toTitle(title) }).catch(throwPortError(deps));
      const { canvas_id: id } = v.parse(created, response);
      await posts.addFile(thread, place, MARK + id);
      const canvas = await find(id);
      if (!canvas) throw new FileUnavailableError(['files.canvas.off']);
      return canvas;
    },
    async publishCanvas(
      { channel, ...thread },
      { id },
      { markdown, message, asker },
    ): Promise<CanvasReaders> {
      await posts.setFiles({ channel, ...thread }, message, [MARK + id]);
      const content = toCanvasMarkdown(markdown);
      if (content.length > MAX_CONTENT_LENGTH) throw new FileUnavailableError(['files.canvas.size']);
      const change = { operation: 'replace', document_content: { type: 'markdown', markdown: content } };
      await call('canvases.edit', { canvas_id: id, changes: [change] }).catch(throwPortError(deps));
      // Direct and group messages cannot be named: only people.
      const isShared =
        !channel.startsWith('D') &&
        (await shareCanvas(id, { channel_ids: [channel] }).catch((error: unknown) => {
          if (error instanceof SlackApiError && UNSHARED.has(error.code)) return false;
          throw error;
        }));
      if (isShared) return 'channel';
      if (!(await shareCanvas(id, { user_ids: [asker] }).catch(throwPortError(deps))))
        throw new FileUnavailableError(['files.canvas.denied']);
      return 'asker';
    },
  };
}

/** The id of a canvas among the recorded files of a message; undefined for other files. */
export function getCanvasId(recorded: string): string | undefined {
  return recorded.startsWith(MARK) ? recorded.slice(MARK.length) : undefined;
}

const toTitle = (text: string): string => truncateText(sanitize(text), MAX_TITLE_LENGTH);

function undefinedIfGone(error: unknown): undefined {
  if (!(error instanceof SlackApiError) || !GONE.has(error.code)) throw error;
}

const throwPortError =
  ({ log }: Pick<CanvasDeps, 'log'>) =>
  (error: unknown): never => {
    if (!(error instanceof SlackApiError)) throw error;
    log?.('slack.canvas-refused', { reason: getFailureReason(classifyError(error)) });
    const reason = REFUSALS[error.code];
    if (reason !== undefined) throw new FileUnavailableError([`files.canvas.${reason}`]);
    if (isPermanent(error.code)) throw new CannotPostError(error.code, { cause: error });
    // A canvas that somebody deleted meanwhile is made again. What Slack refuses for another reason, it refuses again.
    throw GONE.has(error.code) || classifyError(error).kind !== 'refused'
      ? error
      : new FileUnavailableError(['files.canvas.denied']);
  };
