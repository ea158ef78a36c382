Feature: Buying from the shop
  Visitors fill a cart, order what is in it and pay for it once.
  The rest of what the shop promises is in promises.md.

  @component:cart-and-pricing
  Rule: The cart holds what a visitor is about to buy

    @priority:medium @risk:low @code:src/cart/cart.ts
    Scenario: The same article twice is one line of the cart
      The cart shall add up the pieces of an article that a visitor puts into it again.

      Given a cart with 2 pieces of Sencha Fukamushi
      When the visitor adds 3 pieces of Sencha Fukamushi
      Then the cart has one line of Sencha Fukamushi with 5 pieces

    @priority:high @risk:medium @code:src/cart/cart.ts
    Scenario: At most 50 pieces of an article
      The cart shall refuse the 51st piece of an article.
      Wholesale has its own price list and its own contracts.

      Given a cart with 50 pieces of Espresso Roma
      When the visitor adds 1 piece of Espresso Roma
      Then the shop refuses the piece with the field "quantity"
      And the cart still has 50 pieces of Espresso Roma

    @priority:medium @risk:medium @code:src/cart/cart-storage.ts @code:src/web/cart-view.ts
    Scenario: The cart survives a reload of the page
      The page shall keep the cart of a visitor until the visitor empties it or places the order.

      Given a visitor who has put a Cup, stoneware into the cart
      When the visitor loads the page again
      Then the cart shows 1 piece of the Cup, stoneware

    @priority:high @risk:medium @code:src/pricing/discounts.ts @code:src/pricing/quote.ts
    Scenario: A discount code takes its percentage off the cart
      The shop shall take the percentage of a known discount code off the subtotal.

      Given a cart of 25.80 euros
      When the visitor enters the code WELCOME10
      Then the total is 23.22 euros
      And an unknown code leaves the total as it was

    @priority:high @risk:high @code:src/pricing/discounts.ts
    Scenario: Codes that build on each other count once
      The shop shall count each discount code once, also where two codes name each other.
      Marketing may publish a circle of codes by mistake, as it did in spring.

      Given the codes SPRING and BLOSSOM of 5 % each, which build on each other
      When the visitor enters the code SPRING
      Then the cart is 10 % cheaper

    @priority:medium @risk:medium @code:src/pricing/tax.ts
    Scenario: Orders to Norway carry no tax of ours
      The shop shall quote a cart that goes to Norway without tax, because the customs office there collects it.

      Given a cart with 2 pieces of Sencha Fukamushi
      When the visitor chooses Norway as the country
      Then the total is 25.80 euros and the tax in it is 0

  @component:checkout-and-payment
  Rule: The checkout turns a cart into an order

    @priority:high @risk:medium @code:src/checkout/address.ts
    Scenario: An order needs an address that the carrier can use
      The checkout shall refuse an address that the carrier would send back, and name the field.

      Given a cart with 1 piece of The Book of Tea
      When the visitor orders to Hamburg with the postcode 4051
      Then the checkout refuses the order with the field "postcode"
      And the payment provider is not asked

    @priority:medium @risk:low @code:src/checkout/checkout.ts
    Scenario: An empty cart cannot be ordered
      The checkout shall refuse an order without articles before it asks the payment provider.

      Given an empty cart
      When the visitor places the order
      Then the checkout refuses the order with the field "cart"
      And the payment provider is not asked

    @priority:critical @risk:high @code:src/checkout/confirmation.ts
    Scenario: Guests get their confirmation at the address they typed
      The shop shall send the confirmation of a guest's order to the mail address in the order form.
      Half of our customers order without an account.

      Given a guest who typed guest@example.com into the order form
      When the guest places the order
      Then the confirmation goes to guest@example.com

    @priority:high @risk:high @code:src/server/jobs.ts @code:src/checkout/confirmation.ts
    Scenario: A confirmation that the mail service refuses is sent later
      The shop shall keep a paid order whose confirmation the mail service refused, and send the mail again within 1 hour.

      Given a mail service that answers 552
      When a customer places an order
      Then the order is placed and paid
      And the shop sends the confirmation again within 1 hour

    @priority:high @risk:medium @code:src/web/checkout-form.ts
    Scenario: The page says when an order did not go through
      The page shall tell a visitor that an order did not go through and that nothing was charged.

      Given a payment provider that declines the card
      When the visitor presses "Buy now"
      Then the page says that the order did not work and that nothing was charged

  @component:checkout-and-payment
  Rule: A customer pays once

    @priority:critical @risk:critical @code:src/payment/pay.ts @code:src/payment/gateway.ts
    Scenario: A lost connection to the payment provider is tried again
      The shop shall ask the payment provider again when the connection is lost, at most 3 times for one order.
      More attempts only keep the customer waiting.

      Given a cart with 1 piece of Sencha Fukamushi
      And a payment provider that closes each connection without an answer
      When the customer places the order
      Then the shop asks the provider 3 times
      And the order is refused as not paid
      And no confirmation is sent

    @priority:critical @risk:high @code:src/payment/pay.ts
    Scenario: A declined card is not tried again
      The shop shall take a declined payment as final and ask the payment provider once.
      Banks lock cards that are tried again and again.

      Given a payment provider that declines the card
      When the customer places the order
      Then the shop asks the provider 1 time
      And the order is refused as not paid

    @priority:critical @risk:critical @code:src/payment/gateway.ts
    Scenario: A maintenance page of the provider is a payment that failed
      The shop shall treat an answer of the payment provider that is no JSON as a payment that failed.

      Given a payment provider that answers with its maintenance page
      When the customer places the order
      Then the order is refused as not paid
      And the customer reads that nothing was charged

    @priority:medium @risk:medium @status:proposed
    Scenario: Regular customers can pay by invoice
      The checkout shall offer payment by invoice to customers with at least 3 paid orders.

      Given a customer with 3 paid orders
      When the customer opens the checkout
      Then the checkout offers payment by invoice
