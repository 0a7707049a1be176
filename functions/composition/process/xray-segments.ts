import type { AwsCall } from '../../../shared/aws/aws-request.ts';
import { stackName } from '../../../shared/runtime/shared-names.ts';
import { noPhases, TaskSegments } from '../../../shared/aws/xray-segments.ts';
import { runInTrace } from '../../../shared/runtime/task-trace.ts';
import { systemTime } from '../../../shared/runtime/time.ts';

type Config = { readonly stage: string; readonly tracing: 'off' | 'on' };

/** Runs tasks in their traces, and sends segments to X-Ray if tracing is on. */
export function segmentsOf(
  of: string,
  { stage, tracing }: Config,
  aws: AwsCall,
): Pick<TaskSegments, 'record' | 'note'> {
  if (tracing === 'on') return new TaskSegments(`${stackName(stage)}-${of}`, aws, systemTime.now);
  return { record: runInTrace, note: noPhases };
}
