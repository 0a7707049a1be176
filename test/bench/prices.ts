import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';

const amount = v.number();

/** The prices of AWS in us-east-1 ($), from prices.json. */
export const prices = v.parse(
  v.object({
    lambdaGbSecond: amount,
    lambdaRequest: amount,
    apiRequest: amount,
    sqsRequest: amount,
    dynamoWriteUnit: amount,
    dynamoReadUnit: amount,
    logGb: amount,
    secretRead: amount,
    fargateCpuHour: amount,
    fargateGbHour: amount,
    publicIpHour: amount,
    secretMonth: amount,
    keyMonth: amount,
    alarmMetricMonth: amount,
    metricMonth: amount,
  }),
  JSON.parse(readFileSync(join(import.meta.dirname, 'prices.json'), 'utf8')),
);
