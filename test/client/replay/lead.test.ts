import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLead } from '../../../src/client/replay/lead.ts';

describe('how long before it is due a row is sent', () => {
  it('is what nine of ten of the last writes took at most, whatever single ones took', () => {
    const lead = createLead();
    assert.equal(lead.ms, 0);
    lead.took(3);
    assert.equal(lead.ms, 3);
    for (let i = 0; i < 28; i++) lead.took(i % 2 === 0 ? 1 : 2);
    lead.took(900);
    assert.equal(lead.ms, 2);
    // What was long ago says nothing.
    for (let i = 0; i < 31; i++) lead.took(1);
    assert.equal(lead.ms, 1);
  });

  it('is not more than 5 ms', () => {
    const lead = createLead();
    lead.took(80);
    assert.equal(lead.ms, 5);
  });
});
