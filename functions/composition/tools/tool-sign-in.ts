import * as v from 'valibot';
import { channelId, type ConnectTask, messageId, serializeTask } from '../../../shared/domain/index.ts';
import { createAwsCall, type Queue, createSqsQueue } from '../../../shared/aws/index.ts';
import {
  type readCallbackConfig,
  type HttpResponse,
  type Log,
  createProcessLog,
} from '../../../shared/runtime/index.ts';
import {
  createConfirmationCode,
  fetchDynamo,
  hashSecret,
  ToolCredentials,
} from '../../../shared/storage/index.ts';
import { parseState } from '../../../shared/tools/index.ts';
import { getErrorFacts } from '../../../shared/utils/index.ts';
import { renderHtmlPage } from '../html-page.ts';

export type ToolSignInDeps = {
  readonly credentials: Pick<ToolCredentials, 'findUser'>;
  readonly queue: Queue;
  readonly log: Log;
};

const noKey = (): Promise<never> => Promise.reject(new Error('this function has no key'));

/** Builds what the page needs. It may read that a sign-in has begun, not what it holds: it has no key. */
export function createToolSignInDeps(config: ReturnType<typeof readCallbackConfig>): ToolSignInDeps {
  const aws = createAwsCall(config.aws);
  const now = Date.now;
  return {
    credentials: new ToolCredentials({
      dynamo: fetchDynamo(aws),
      table: config.conversationsTable,
      encryptor: { encrypt: noKey, decrypt: noKey },
      now,
    }),
    queue: createSqsQueue(config.taskQueueUrl, aws),
    log: createProcessLog(config.logLevel, now).warn,
  };
}

const parameter = v.pipe(v.string(), v.maxLength(4_096));
const text = v.optional(parameter, '');
const query = v.object({
  queryStringParameters: v.object({ state: text, code: text, iss: v.optional(parameter) }),
});

/**
 * Handles the return of a person from the page of a server. The state is random and stored as a hash; the worker holds the sign-in, once, until
 * the person confirms it with the code that the page shows. Without a sign-in that has begun the page is the same for every state, and costs at most one
 * read. Never rejects.
 */
export function createToolSignIn({
  credentials,
  queue,
  log,
}: ToolSignInDeps): (event: unknown) => Promise<HttpResponse> {
  return async (event) => {
    const { state, code, iss } = v.is(query, event)
      ? v.parse(query, event).queryStringParameters
      : { state: '', code: '', iss: undefined };
    const place = parseState(state);
    try {
      const user = place && (await credentials.findUser(place, state));
      if (!place || user === undefined)
        return renderHtmlPage(400, 'This sign-in has ended', 'Begin again in the chat.');
      if (code === '')
        return renderHtmlPage(200, 'Nothing was connected', 'You can begin again in the chat.');
      const { platform, workspace } = place;
      const message = messageId(hashSecret(state));
      const task: ConnectTask = {
        v: 1,
        kind: 'connect',
        thread: { platform, workspace, channel: channelId('none'), root: message },
        message,
        asker: user,
        askerWorkspace: workspace,
        state,
        code,
        issuer: iss,
      };
      await queue.send(serializeTask(task), `connect#${message}`, `connect#${message}`);
      return codePage(platform, createConfirmationCode(code));
    } catch (error) {
      log('tool.sign-in-failed', getErrorFacts(error));
      return renderHtmlPage(503, 'This did not work', 'Open the page of the server again.');
    }
  };
}

/** Says where to enter the code, since the bot may not be able to send a direct message. The command of a Slack app has a name of its own. */
function codePage(platform: ConnectTask['thread']['platform'], code: string): HttpResponse {
  const where =
    platform === 'slack'
      ? `type the command of the bot in Slack (usually /parley), followed by: tools confirm ${code}`
      : `use /tools in Discord, with do: confirm and what: ${code}`;
  return renderHtmlPage(
    200,
    `Your code: ${code}`,
    `One more step: ${where}. Do it within 15 minutes, only if you began this sign-in there yourself, and give the code to nobody else.`,
  );
}
