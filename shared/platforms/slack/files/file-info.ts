import * as v from 'valibot';
import type { Attachment } from '../../../domain/index.ts';
import { attachmentsOf } from '../inbound/attachments.ts';
import type { SlackDeps } from '../deps.ts';
import { retrySlack } from '../api/retry.ts';

const TIMEOUT_MS = 8_000;
const answer = v.object({ file: v.unknown() });

/**
 * What Slack says of a file of another company, of which its message tells the id alone (`check_file_info`). Never rejects: it
 * stays as it is where Slack does not say. Source: docs.slack.dev/apis/slack-connect, files.
 */
export async function describeFile(
  { call, time }: Pick<SlackDeps, 'call' | 'time'>,
  attachment: Attachment,
): Promise<Attachment> {
  const ask = async () => v.parse(answer, await call('files.info', { file: attachment.id }));
  try {
    const { file } = await retrySlack(ask, { time, deadline: time.now() + TIMEOUT_MS });
    return attachmentsOf([file])[0] ?? attachment;
  } catch {
    return attachment;
  }
}
