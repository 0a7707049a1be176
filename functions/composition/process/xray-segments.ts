import { type AwsCall, noPhases, TaskSegments } from '../../../shared/aws/index.ts';
import { stackName, runInTrace, systemTime } from '../../../shared/runtime/index.ts';

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
