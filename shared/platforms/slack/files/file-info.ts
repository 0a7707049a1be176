import * as v from 'valibot';
import type { Attachment } from '../../../domain/index.ts';
import { parseAttachments } from '../inbound/attachments.ts';
import type { SlackDeps } from '../deps.ts';
import { retrySlack } from '../api/retry.ts';

const TIMEOUT_MS = 8_000;
const answer = v.object({ file: v.unknown() });

/**
 * Completes the metadata of a file of another company: its message contains only the id (`check_file_info`). Never rejects; without a
 * response the attachment is returned unchanged. Source: docs.slack.dev/apis/slack-connect, files.
 */
export async function describeFile(
  { call, time }: Pick<SlackDeps, 'call' | 'time'>,
  attachment: Attachment,
): Promise<Attachment> {
  const ask = async () => v.parse(answer, await call('files.info', { file: attachment.id }));
  try {
    const { file } = await retrySlack(ask, { time, deadline: time.now() + TIMEOUT_MS });
    return parseAttachments([file])[0] ?? attachment;
  } catch {
    return attachment;
  }
}
