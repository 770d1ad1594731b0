import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { insertCompany } from '../../../src/store/clickhouse/insert-company.ts';

describe('the company of a group', () => {
  it('is not waited for by the first request, nor by a writer that is alone', () => {
    const company = insertCompany();
    company.joined(1000);
    assert.equal(company.restMs(1, 1000, 1000), 0);
    company.settled(1050, 50, 1);
    company.joined(1051);
    assert.equal(company.restMs(1, 1051, 1051), 0);
  });

  it('is waited for while requests come, until as many are there as were under way', () => {
    const company = insertCompany();
    company.settled(1000, 50, 3);
    company.joined(1004);
    assert.equal(company.restMs(1, 1004, 1004), 10);
    company.joined(1012);
    assert.equal(company.restMs(2, 1004, 1012), 10);
    company.joined(1020);
    assert.equal(company.restMs(3, 1004, 1020), 0);
  });

  it('is given up when nobody has come for a fifth of the time of an insert', () => {
    const company = insertCompany();
    company.joined(990);
    company.settled(1000, 50, 3);
    assert.equal(company.restMs(1, 990, 1000), 10);
    assert.equal(company.restMs(1, 990, 1010), 0);
  });

  it('is waited for no longer than an insert takes, and 200 ms', () => {
    const company = insertCompany();
    company.settled(1000, 50, 100);
    company.joined(1049);
    assert.equal(company.restMs(60, 980, 1049), 1);
    company.settled(2000, 60_000, 100);
    company.joined(2190);
    assert.equal(company.restMs(60, 1990, 2190), 10);
  });
});
