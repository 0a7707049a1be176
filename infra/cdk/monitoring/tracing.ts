/** Of whoever tells X-Ray something. */
export const BUT_X_RAY = [
  {
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'X-Ray has no resources for what it is told: whoever may tell it something may tell it anything.',
  },
];
