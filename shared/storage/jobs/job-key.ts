import type { JobId } from '../../video/jobs/index.ts';
import type { Key } from '../turns/turn-keys.ts';

/** How keys of jobs begin, and what in their thread's partition names them. */
export const VIDEO = 'VIDEO#';
const JOB = 'JOB#';

export function jobKey(of: JobId): Key {
  const [person = '', wish = ''] = of.split('-');
  return { pk: { S: VIDEO + person }, sk: { S: JOB + wish } };
}
