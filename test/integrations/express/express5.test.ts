import express from 'express'
import { mountContract } from '../../contract/contract.js'
import { expressTests } from './express-tests.js'
import { expressHost } from './host.js'

mountContract('Express 5', expressHost(express))
expressTests('Express 5', express)
